/* Registers a scan onto a map, both of raw float32 x y z, and prints the pose: align_files_c MAP SCAN */
#include <stdio.h>
#include <stdlib.h>

#include "ndt/c.h"

static ndt_cloud read_floats(const char* name) {
  ndt_cloud cloud = {NULL, 0, 0, {0, 0, 0}};
  FILE* file = fopen(name, "rb");
  long bytes = 0;
  if (file != NULL && fseek(file, 0, SEEK_END) == 0) bytes = ftell(file);
  if (bytes > 0) {
    float* numbers = malloc((size_t)bytes);
    rewind(file);
    if (numbers != NULL)
      cloud.points = fread(numbers, 3 * sizeof(float), (size_t)bytes / (3 * sizeof(float)), file);
    cloud.xyz = numbers;
  }
  if (file != NULL) fclose(file);
  return cloud;
}

int main(int count, char** words) {
  if (count != 3) return fprintf(stderr, "usage: align_files_c MAP SCAN\n"), 2;
  const ndt_cloud map = read_floats(words[1]), scan = read_floats(words[2]);
  const double guess[16] = {1, 0, 0, 0.3, 0, 1, 0, -0.2, 0, 0, 1, 0.1, 0, 0, 0, 1};
  ndt_result result = {.struct_size = sizeof(result)};
  ndt_aligner* aligner = NULL;
  ndt_status status = ndt_aligner_create("auto", "resolution=2", &aligner);
  if (status == NDT_OK) status = ndt_aligner_set_map(aligner, &map);
  if (status == NDT_OK) status = ndt_aligner_align(aligner, &scan, guess, &result);
  if (status != NDT_OK) fprintf(stderr, "align_files_c: %s\n", ndt_last_error());
  for (int i = 0; status == NDT_OK && i < 16; ++i)
    printf("%.17g%c", result.map_from_scan[i], i % 4 == 3 ? '\n' : ' ');
  ndt_aligner_destroy(aligner);
  free((void*)map.xyz);
  free((void*)scan.xyz);
  return status == NDT_OK && result.stop == NDT_CONVERGED ? 0 : 1;
}
