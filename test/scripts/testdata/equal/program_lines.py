# program
import collections, sys

counts = collections.Counter(c for line in sys.stdin for c in line)
print(counts.most_common(5))
sys.stdout.write("no end of line")
sys.exit(0)
