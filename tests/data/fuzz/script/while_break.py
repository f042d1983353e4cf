def while_break(n: int):
    s = 0
    while True:
        if s > n:
            break
        s += 2
    return s
