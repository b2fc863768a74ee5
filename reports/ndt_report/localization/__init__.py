"""The page of one or several folders of ndt-bench localize: runs in a closed loop, each frame's guess made from
the frames before it."""
