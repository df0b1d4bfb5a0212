# Runs a thousand steps of the benchmark so_nbody.
require "/data/scripts/so"

benchmark("so_nbody", "200_000", "1_000")
