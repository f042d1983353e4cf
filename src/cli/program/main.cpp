// The executable `monograph`. Its code is src/cli/main.cpp, in the shared library or in the executable itself (cmake/Monograph.cmake).
extern "C" int monograph_command(int argc, char** argv);

int main(int argc, char** argv) { return monograph_command(argc, argv); }
