import array, hashlib, zlib


def run(args):
    data = bytes(range(256)) * 4096 * args["n"]
    packed = zlib.compress(data, 1)
    numbers = array.array("d", range(100_000))
    lists = [[i] * 10 for i in range(20_000)]
    strings = {str(i): i for i in range(50_000)}
    return [len(packed), zlib.decompress(packed) == data, hashlib.sha256(data).hexdigest(), sum(numbers), len(lists), strings["49999"], str(3**5000)[-20:]]
