"""ndt-bench localize with ROS bags going in and MCAP coming out; see docs/localise.md."""
