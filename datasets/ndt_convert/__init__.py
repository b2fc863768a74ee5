"""Makes dataset folders for ndt-bench out of scans in files and in ROS bags; see datasets/README.md."""
