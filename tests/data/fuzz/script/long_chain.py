def long_chain(a: int, b: int, c: int):
    if 0 < a <= b < c < 10:
        return 1
    return 0
