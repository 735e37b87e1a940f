// All that is left of a kit where CMake has no GTest::gtest.

#error "Timerbench's conformance kit needs GoogleTest, which find_package(GTest) did not find"
