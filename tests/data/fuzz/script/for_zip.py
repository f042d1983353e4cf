def for_zip(a: List[int], b: List[int]):
    s = 0
    for x, y in zip(a, b):
        s += x * y
    return s
