def elif_chain(n: int):
    if n < 0:
        s = "negative"
    elif n == 0:
        s = "zero"
    elif n < 3:
        s = "few"
    else:
        s = "many"
    return s
