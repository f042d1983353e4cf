def short_circuit(a: int, b: int):
    return a != 0 and b // a > 1
