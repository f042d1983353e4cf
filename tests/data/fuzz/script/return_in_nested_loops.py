def return_in_nested_loops(n: int):
    for i in range(4):
        for j in range(4):
            if i * j > n:
                return i * 10 + j
    return -1
