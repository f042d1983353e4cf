def nested_function_reads(x):
    n = 3

    def times(y):
        return y * n

    return times(x)
