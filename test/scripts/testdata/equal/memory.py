def run(args):
    blocks = []
    try:
        while True:
            blocks.append(bytearray(8 << 20))
    except MemoryError:
        count = len(blocks)
        del blocks
    return [count > 5, count, len(bytearray(8 << 20))]
