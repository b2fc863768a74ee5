# Writes HEADER with the commit of SOURCE_DIR, "-dirty" added if tracked files differ from it, or "unknown" outside a
# repository. The file is touched only when its text changes.
set(commit "unknown")
if(GIT)
  execute_process(
    COMMAND ${GIT} --no-optional-locks -C ${SOURCE_DIR} describe --always --dirty --abbrev=40 --exclude=*
    OUTPUT_VARIABLE answer RESULT_VARIABLE status OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(status EQUAL 0)
    set(commit "${answer}")
  endif()
endif()
set(text "#pragma once\n#define NDT_COMMIT \"${commit}\"\n")
set(old "")
if(EXISTS ${HEADER})
  file(READ ${HEADER} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${HEADER} "${text}")
endif()
