# Multiplies matrices twice with the benchmark so_matrix.
require "/data/scripts/so"

benchmark("so_matrix", "n = 60", "n = 2")
