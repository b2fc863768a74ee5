/* A C program on the C interface: aligns two clouds, and asks for what must be refused. */
#include "ndt/c.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void require(int holds, const char* what) {
  if (holds) return;
  printf("failed: %s; last error: %s\n", what, ndt_last_error());
  exit(1);
}

/* A floor and two walls of 20 m, a point every `spacing` metres, with one more float behind each point. */
static ndt_cloud corner(double spacing) {
  const int side = (int)(20 / spacing);
  float* out = malloc(sizeof(float) * 4 * 3 * (size_t)(side * side));
  ndt_cloud cloud = {out, 0, 4 * sizeof(float), {0, 0, 0}};
  for (int i = 0; i < side; ++i)
    for (int k = 0; k < side; ++k)
      for (int surface = 0; surface < 3; ++surface) {
        const double a = i * spacing, b = k * spacing;
        float* point = out + 4 * cloud.points;
        if (surface > 0 && b > 6) continue;
        point[0] = (float)(surface == 2 ? 0 : a);
        point[1] = (float)(surface == 0 ? b : surface == 1 ? 0 : a);
        point[2] = (float)(surface == 0 ? 0 : b);
        point[3] = 100;
        ++cloud.points;
      }
  return cloud;
}

static void refuse(ndt_aligner* aligner, const ndt_cloud* cloud, const double* guess, ndt_result* result) {
  ndt_aligner* none = aligner;
  require(ndt_aligner_create("persistent", NULL, &none) == NDT_BAD_ARGUMENT && none == NULL,
          "an unknown name");
  require(strstr(ndt_last_error(), "unknown implementation 'persistent': choose from") != NULL,
          "its message");
  require(ndt_aligner_create("auto", "resolution=two", &none) == NDT_BAD_ARGUMENT, "a word for a number");
  require(strstr(ndt_last_error(), "resolution") != NULL, "its message");
  require(ndt_aligner_create("auto", NULL, NULL) == NDT_BAD_ARGUMENT, "nowhere to put it");

  require(ndt_aligner_align(aligner, cloud, guess, result) == NDT_BAD_ARGUMENT, "an alignment without a map");
  require(ndt_aligner_expect_scan(aligner) == NDT_OK, "a scan is announced without a map");
  require(ndt_aligner_expect_scan(NULL) == NDT_BAD_ARGUMENT, "an announcement to nobody");
  const ndt_cloud empty = {NULL, 0, 0, {0, 0, 0}}, no_points = {NULL, 3, 0, {0, 0, 0}},
                  narrow = {cloud->xyz, 3, 8, {0, 0, 0}};
  require(ndt_aligner_set_map(aligner, &empty) == NDT_BAD_INPUT, "an empty map");
  require(ndt_aligner_set_map(aligner, &no_points) == NDT_BAD_ARGUMENT, "points at NULL");
  require(ndt_aligner_set_map(aligner, &narrow) == NDT_BAD_ARGUMENT, "a stride of 8 bytes");
  require(strcmp(ndt_last_error(), "map->stride = 8: a point takes 12 bytes or more") == 0, "its message");
}

int main(void) {
  const ndt_cloud map = corner(0.25), scan = corner(0.7);
  double guess[16] = {1, 0, 0, 0.2, 0, 1, 0, -0.1, 0, 0, 1, 0.1, 0, 0, 0, 1};
  ndt_aligner* aligner = NULL;
  ndt_judge* judge = NULL;
  ndt_judgement judgement;
  ndt_result result;
  memset(&result, 0, sizeof(result));
  result.struct_size = sizeof(result);

  require(strcmp(ndt_last_error(), "") == 0, "no error at first");
  require(ndt_aligner_create("persistent_cpu", "threads=2 max_iterations=40", &aligner) == NDT_OK, "create");
  refuse(aligner, &map, guess, &result);
  require(ndt_aligner_set_map(aligner, &map) == NDT_OK, "set_map");
  require(ndt_aligner_expect_scan(aligner) == NDT_OK, "expect_scan");
  require(ndt_aligner_align(aligner, &scan, guess, &result) == NDT_OK, "align");
  require(fabs(result.map_from_scan[3]) < 0.05 && fabs(result.map_from_scan[7]) < 0.05, "the pose");
  require(result.stop == NDT_CONVERGED && result.has_covariance && result.covariance_xx > 0, "the result");
  memset(&judgement, 0, sizeof(judgement));
  judgement.struct_size = sizeof(judgement);
  require(ndt_judge_create(aligner, &map, &judge) == NDT_OK, "a judge");
  require(ndt_judge_pose(judge, aligner, &scan, &result, &judgement) == NDT_OK, "the judgement");
  require(judgement.ok && strcmp(judgement.reasons, "") == 0, judgement.reasons);
  require(judgement.has_covariance && judgement.covariance[6] == judgement.covariance[1], "the covariance");
  ndt_judge_destroy(judge);
  ndt_judge_destroy(NULL);
  printf("%s after %d iterations\n", ndt_stop_name(result.stop), (int)result.iterations);

  guess[0] = 2;
  require(ndt_aligner_align(aligner, &scan, guess, &result) == NDT_BAD_ARGUMENT, "a guess that is not rigid");
  result.struct_size = 8;
  guess[0] = 1;
  require(ndt_aligner_align(aligner, &scan, guess, &result) == NDT_BAD_ARGUMENT, "a result without a size");

  ndt_aligner_destroy(aligner);
  ndt_aligner_destroy(NULL);
  free((void*)map.xyz);
  free((void*)scan.xyz);
  return 0;
}
