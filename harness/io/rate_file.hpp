// Velocities and inertial measurements in text: a time and six numbers a line.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "ndt/localization/stamped_pose.hpp"

namespace ndt::harness {

inline constexpr const char* kTwistForm = "time_s,vx_m_s,vy_m_s,vz_m_s,wx_rad_s,wy_rad_s,wz_rad_s";
inline constexpr const char* kImuForm = "time_s,wx_rad_s,wy_rad_s,wz_rad_s,ax_m_s2,ay_m_s2,az_m_s2";

/// Reads lines "time vx vy vz wx wy wz": seconds, m/s and rad/s in the scanner's own frame. Numbers are
/// separated by blanks or commas. Lines that begin with '#' and blank lines are skipped. Throws
/// ndt::InputError naming file, line, value and what to do. Refuses other than 7 finite numbers in a line,
/// times that do not increase, no lines, and a file past the Limits.
std::vector<localization::StampedTwist> read_twists(const std::filesystem::path& file);

/// An IMU's file, and what was done to its units.
struct ImuFile {
  std::vector<localization::StampedImu> samples;  ///< rad/s, m/s², in the axes of the IMU
  std::string note;                               ///< a line for a person; empty: the units were these
};
/// Reads lines "time wx wy wz ax ay az" as EuRoC's imu0 has them: rad/s, and m/s² with the reaction to
/// gravity. An acceleration in units of gravity is told by its median, 0.5 to 1.5, and converted. Throws as
/// read_twists does, and for a median acceleration that is gravity's in neither unit.
ImuFile read_imu(const std::filesystem::path& file);

/// Writes what read_twists() reads, bit for bit. Throws ndt::InputError if the file cannot be written.
void write_twists(const std::filesystem::path& file, std::span<const localization::StampedTwist> twists);
/// Writes what read_imu() reads, bit for bit. Throws ndt::InputError if the file cannot be written.
void write_imu(const std::filesystem::path& file, std::span<const localization::StampedImu> samples);

}  // namespace ndt::harness
