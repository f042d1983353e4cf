def tuple_unpack(a: int, b: int):
    t = (a, (b, a))
    x, (y, z) = t
    return x, y, z
