def returns_in_depth(a: int, b: int):
    if a > 0:
        if b > 0:
            return 1
        else:
            c = 5
    else:
        if b > 0:
            c = 7
        else:
            return 4
    return c
