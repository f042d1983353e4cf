def break_and_continue(n: int):
    s = 0
    for i in range(10):
        if i % 2 == 0:
            continue
        if i > n:
            break
        s += i
    return s
