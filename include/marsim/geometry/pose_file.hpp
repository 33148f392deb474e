#pragma once

#include <filesystem>
#include <vector>

#include "marsim/geometry/pose_track.hpp"

namespace marsim {

/// The poses of a trajectory file, as PoseTrack takes them. Two formats, told by the first line
/// that is no comment:
/// - TUM: `stamp x y z qx qy qz qw`, separated by blanks; `#` begins a comment.
/// - CSV with a line of column names: stamp (or t, time, timestamp), x, y, z, qx, qy, qz, qw in any
///   order, a unit of time in brackets ([s], [ms], [us], [ns]); other columns are passed over. The
///   names of EuRoC's ground truth (#timestamp, p_RS_R_x, q_RS_w, ..., in nanoseconds) are known.
/// Keyframes of a map may lie any time and turn apart, where PoseTrack limits both. Throws FileError
/// naming line, field, value and what is allowed.
std::vector<StampedPose> readPoseFile(const std::filesystem::path& path, bool keyframes = false);

}  // namespace marsim
