# Tests in Python.
#
#   ndt_python_test(<name> COMMAND c... LABELS l... TIMEOUT s [ENVIRONMENT VAR=value...])
#       one ctest entry; counts as skipped if its output begins with "skipped for want of"
#   ndt_pytest(<prefix> FILES stem... LABELS l... TIMEOUT s [ENVIRONMENT VAR=value...])
#       one ctest entry <prefix>.<stem without test_> for each <stem>.py, as starting pytest takes longer than most of its
#       tests; all are skipped where pytest is missing
include_guard(GLOBAL)
find_package(Python3 COMPONENTS Interpreter QUIET)

# The python found first may lack pytest, or what the tests import, where Debian's has it.
set(NDT_PYTEST_PYTHON "")
foreach(modules "pytest, numpy, pandas, matplotlib, jinja2" "pytest, numpy" pytest)
  foreach(candidate ${Python3_EXECUTABLE} /usr/bin/python3)
    if(NOT NDT_PYTEST_PYTHON)
      execute_process(COMMAND ${candidate} -c "import ${modules}" RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
      if(status EQUAL 0)
        set(NDT_PYTEST_PYTHON ${candidate})
      endif()
    endif()
  endforeach()
endforeach()

function(ndt_python_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "LABELS;COMMAND;ENVIRONMENT")
  ndt_refuse_unparsed(ndt_python_test)
  if(NDT_SANITIZE)
    math(EXPR arg_TIMEOUT "5 * ${arg_TIMEOUT}")
  endif()
  add_test(NAME ${name} COMMAND ${arg_COMMAND} WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  # The longest tests start first, because the last to end would run alone.
  set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} COST ${arg_TIMEOUT} LABELS "${arg_LABELS}"
    ENVIRONMENT "${arg_ENVIRONMENT}"
    SKIP_REGULAR_EXPRESSION "^skipped for want of")
endfunction()

# ndt_one_pytest(<name> <what pytest runs> LABELS l... TIMEOUT s [ENVIRONMENT VAR=value...])
function(ndt_one_pytest name what)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "TIMEOUT" "LABELS;ENVIRONMENT")
  ndt_refuse_unparsed(ndt_one_pytest)
  set(command ${NDT_PYTEST_PYTHON} -m pytest -q -rs -p no:cacheprovider ${CMAKE_CURRENT_SOURCE_DIR}/${what})
  if(NOT NDT_PYTEST_PYTHON)
    set(command ${CMAKE_COMMAND} -E echo "skipped for want of pytest (Debian: python3-pytest)")
  endif()
  ndt_python_test(${name} COMMAND ${command} ENVIRONMENT ${arg_ENVIRONMENT}
    LABELS ${arg_LABELS} TIMEOUT ${arg_TIMEOUT})
  # pytest's last line if nothing else came of it, and what it says where a module is missing. Not merely the reason: the
  # traceback of a failed test may show the line that would have skipped it.
  set_property(TEST ${name} APPEND PROPERTY SKIP_REGULAR_EXPRESSION "\n[0-9]+ skipped in " "Skipped: skipped for want of")
endfunction()

function(ndt_pytest prefix)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "LABELS;FILES;ENVIRONMENT")
  set(name ${prefix})
  ndt_refuse_unparsed(ndt_pytest)
  foreach(file IN LISTS arg_FILES)
    string(REGEX REPLACE "^test_" "" test ${file})
    ndt_one_pytest(${prefix}.${test} ${file}.py ENVIRONMENT PYTHONDONTWRITEBYTECODE=1 ${arg_ENVIRONMENT}
      LABELS ${arg_LABELS} TIMEOUT ${arg_TIMEOUT})
  endforeach()
endfunction()
