/** @file
 * C interface, for other languages: create an aligner, give it a map, align scans. No exception leaves it.
 *
 * It is stable: functions and the members of structures keep their meaning and place; new members come at the
 * end of a structure, whose size the caller states. Metres, radians, row-major matrices; map_from_scan takes
 * a point of the scan into the map. Each function but those of errors and names may fail, and then says why
 * in ndt_last_error(): a line without control characters. An aligner is for one thread at a time; use one per
 * thread. */
#ifndef NDT_C_H
#define NDT_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a function returns. */
typedef enum ndt_status {
  NDT_OK = 0, /**< it did what it says */
  NDT_BAD_ARGUMENT =
      1, /**< a mistake of the caller: a null pointer, an unknown name, a guess that is not rigid, no map */
  NDT_BAD_INPUT = 2, /**< a cloud that cannot be used, such as a map without a voxel */
  NDT_FAILED = 3     /**< anything else: no GPU for the implementation, no memory */
} ndt_status;

/** Why an alignment ended. All but the first mean that the pose is not to be relied on. */
typedef enum ndt_stop {
  NDT_CONVERGED = 0,          /**< the scan fixes the pose */
  NDT_MAX_ITERATIONS = 1,     /**< the iteration limit came first */
  NDT_NO_OVERLAP = 2,         /**< no scan point has a voxel: the guess is returned */
  NDT_DEGENERATE = 3,         /**< the scan leaves a direction (nearly) free */
  NDT_NON_FINITE = 4,         /**< a sum was not finite: the guess is returned */
  NDT_LINE_SEARCH_FAILED = 5, /**< no step raised the score */
  NDT_CANCELLED = 6,          /**< not by this interface */
  NDT_TIMEOUT = 7             /**< not by this interface */
} ndt_stop;

/** An implementation with its options and its map. */
typedef struct ndt_aligner ndt_aligner;

/** Points of the caller: point i is origin + the three floats at (char*)xyz + i * stride. Points that are not
 * finite are dropped and counted. */
typedef struct ndt_cloud {
  const float* xyz; /**< x y z of the first point [m] */
  size_t points;    /**< number of points, at most 2^27 */
  size_t stride;    /**< bytes from one point to the next, 12 to 2^20; 0: 12 */
  double origin[3]; /**< for maps whose coordinates float32 would hold too coarsely; else 0 */
} ndt_cloud;

/** Points of the caller in the memory of the aligner's CUDA device: point i has its x, a float32, at
 * (char*)points + i * stride + offsets[0], and y and z likewise. */
typedef struct ndt_device_cloud {
  size_t struct_size; /**< set by the caller to sizeof(ndt_device_cloud) */
  const void* points; /**< address on the device, a multiple of 4 */
  size_t size;        /**< number of points, at most 2^27 */
  size_t stride;      /**< bytes from one point to the next, a multiple of 4, at most 2^20; 0: 12 */
  size_t offsets[3];  /**< bytes from a point's address to its x, y and z; all 0: 0, 4, 8 */
  double origin[3];   /**< as in ndt_cloud */
  void* stream; /**< the cudaStream_t that writes the points, which are read behind what it has been given;
                   NULL: the legacy default stream */
} ndt_device_cloud;

/** What an alignment gives. */
typedef struct ndt_result {
  size_t struct_size;           /**< set by the caller to sizeof(ndt_result) */
  double map_from_scan[16];     /**< the pose */
  ndt_stop stop;                /**< why it ended */
  int32_t iterations;           /**< Newton steps */
  int64_t correspondences;      /**< pairs of point and voxel */
  int64_t dropped_points;       /**< scan points left out: not finite, or absurdly far */
  double score;                 /**< sum over pairs */
  double transform_probability; /**< score over finite points */
  double nvtl;                  /**< nearest voxel transformation likelihood */
  double hessian[36];           /**< of the score; x y z roll pitch yaw */
  int32_t has_covariance;       /**< 0: there is none */
  /** Of x and y from the Hessian [m^2], if there is one. */
  double covariance_xx, covariance_xy, covariance_yy;
  int32_t has_finish;   /**< 0: there is none; options ask for one with "finish=windows" */
  double finish_step_m; /**< length of its step */
  double finish_score;  /**< in the windows, before that step */
} ndt_result;

/** Judges the poses of an aligner's map. */
typedef struct ndt_judge ndt_judge;

/** Whether a pose can be trusted, as `ndt-bench align` prints it. */
typedef struct ndt_judgement {
  size_t struct_size;     /**< set by the caller to sizeof(ndt_judgement) */
  int32_t ok;             /**< 1: nothing speaks against the pose; 0: it is doubtful */
  int32_t has_covariance; /**< 0: there is none, because the result has none */
  /** Of x y z roll pitch yaw [m, rad], row-major, in the order of ROS's PoseWithCovariance. x and y are
   * estimated from the Hessian, with a floor; the rest are the variances that Autoware publishes. */
  double covariance[36];
  char reasons[2048]; /**< why it is doubtful, the gravest first, with semicolons; "" if it is ok */
} ndt_judgement;

/** "auto" takes the fastest implementation that can run here. options: words such as "resolution=1
 * profile=pyramid threads=4", by the names of `ndt-bench align --help`, at most 4096 bytes; NULL or "" for
 * the defaults, Autoware's. *aligner is NULL unless NDT_OK is returned; give it back to
 * ndt_aligner_destroy(), which takes NULL, too. */
ndt_status ndt_aligner_create(const char* implementation, const char* options, ndt_aligner** aligner);
/** Gives the aligner back; NULL is taken, too. */
void ndt_aligner_destroy(ndt_aligner* aligner);

/** Builds the voxel map; slow. Copies what it needs. After a failure the aligner has the map that it had
 * before. */
ndt_status ndt_aligner_set_map(ndt_aligner* aligner, const ndt_cloud* map);

/** guess: map_from_scan to start from. Numerical outcomes are in result->stop, and NDT_OK is returned with
 * all. */
ndt_status ndt_aligner_align(ndt_aligner* aligner, const ndt_cloud* scan, const double guess[16],
                             ndt_result* result);

/** Makes a judge for the map that the aligner has. map: the cloud that ndt_aligner_set_map() was given; its
 * points are copied, 12 bytes each. *judge is NULL unless NDT_OK is returned. A judge does not change:
 * threads may share it, and it may outlive the aligner. */
ndt_status ndt_judge_create(ndt_aligner* aligner, const ndt_cloud* map, ndt_judge** judge);
/** Gives the judge back; NULL is taken, too. */
void ndt_judge_destroy(ndt_judge* judge);
/** Judges a result of ndt_aligner_align() with this scan, by six more alignments from beside it. aligner: one
 * with the judge's map and the options that the result was made with. */
ndt_status ndt_judge_pose(const ndt_judge* judge, ndt_aligner* aligner, const ndt_cloud* scan,
                          const ndt_result* result, ndt_judgement* judgement);

/** Announces a scan that comes within milliseconds, so that a caller that slept has its alignment sooner.
 * Changes no result; does nothing without a map. */
ndt_status ndt_aligner_expect_scan(ndt_aligner* aligner);

/** ndt_aligner_set_map() and ndt_aligner_align() with a map on the aligner's device, and with a scan there.
 * The points do not travel to the host (unless one is 1 km away or more), and may be overwritten when the
 * call returns. NDT_BAD_ARGUMENT if the implementation runs on the CPU. */
ndt_status ndt_aligner_set_map_on_device(ndt_aligner* aligner, const ndt_device_cloud* map);
/** See ndt_aligner_set_map_on_device(). */
ndt_status ndt_aligner_align_on_device(ndt_aligner* aligner, const ndt_device_cloud* scan,
                                       const double guess[16], ndt_result* result);

/** The message of the last call of this thread that failed, "" if none did; valid until the next call that
 * fails. */
const char* ndt_last_error(void);

/** The name of what "auto" takes: the fastest that can run here. NULL if none can. */
const char* ndt_auto_implementation(void);

/** Name number `index` from 0, in the table's order; NULL past the last one. */
const char* ndt_implementation_name(size_t index);
/** "converged", ... */
const char* ndt_stop_name(ndt_stop stop);
/** The version of the library, MAJOR.MINOR.PATCH. */
const char* ndt_version(void);

#ifdef __cplusplus
}
#endif

#endif
