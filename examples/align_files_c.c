/* Registers a scan onto a map and prints the pose: align_files_c MAP SCAN. Both are binary PCD files of float32
 * x y z, as `ndt-bench export` writes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ndt/c.h"

/* Reads a file. Without points if it is of another kind. */
static ndt_cloud read_pcd(const char* name) {
  ndt_cloud cloud = {NULL, 0, 0, {0, 0, 0}};
  FILE* file = fopen(name, "rb");
  char line[256] = "";
  size_t points = 0;
  int fields = 0, floats = 0;
  while (file != NULL && strcmp(line, "DATA binary\n") != 0 && fgets(line, sizeof(line), file) != NULL) {
    if (strcmp(line, "FIELDS x y z\n") == 0) fields = 1;
    if (strcmp(line, "SIZE 4 4 4\n") == 0) floats = 1;
    if (strncmp(line, "POINTS ", 7) == 0) points = strtoull(line + 7, NULL, 10);
  }
  float* numbers = fields && floats ? malloc(points * 3 * sizeof(float)) : NULL;
  if (numbers != NULL) cloud.points = fread(numbers, 3 * sizeof(float), points, file);
  cloud.xyz = numbers;
  if (file != NULL) fclose(file);
  if (cloud.points == 0) fprintf(stderr, "align_files_c: %s is no binary PCD of float32 x y z\n", name);
  return cloud;
}

int main(int count, char** words) {
  if (count != 3) return fprintf(stderr, "usage: align_files_c MAP SCAN\n"), 2;
  const ndt_cloud map = read_pcd(words[1]), scan = read_pcd(words[2]);
  const double guess[16] = {1, 0, 0, 0.3, 0, 1, 0, -0.2, 0, 0, 1, 0.1, 0, 0, 0, 1};
  ndt_aligner* aligner = NULL;
  ndt_result result = {.struct_size = sizeof(result)};
  ndt_status status = ndt_aligner_create("auto", "resolution=2", &aligner);
  if (status == NDT_OK) status = ndt_aligner_set_map(aligner, &map);
  if (status == NDT_OK) status = ndt_aligner_align(aligner, &scan, guess, &result);
  if (status != NDT_OK) fprintf(stderr, "align_files_c: %s\n", ndt_last_error());
  ndt_aligner_destroy(aligner);
  for (int i = 0; status == NDT_OK && i < 16; ++i)
    printf("%.17g%c", result.map_from_scan[i], i % 4 == 3 ? '\n' : ' ');
  free((void*)map.xyz);
  free((void*)scan.xyz);
  return status == NDT_OK && result.stop == NDT_CONVERGED ? 0 : 1;
}
