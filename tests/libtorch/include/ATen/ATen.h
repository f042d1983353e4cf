#include <monograph/torch.h>
