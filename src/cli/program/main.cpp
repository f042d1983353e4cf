// The executable `monograph`. Its code is in src/cli/main.cpp, which belongs to the shared library or to the executable (cmake/Monograph.cmake).
extern "C" int monograph_command(int argc, char** argv);

int main(int argc, char** argv) { return monograph_command(argc, argv); }
