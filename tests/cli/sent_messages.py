"""Messages that a vehicle sends and a localisation only reads."""

import numpy as np
from ndt_localize.messages import Messages


class SentMessages(Messages):
    def imu(self, header, angular_velocity, acceleration):
        return self._make("sensor_msgs/msg/Imu", header=header, orientation=self._quaternion(np.eye(4)), orientation_covariance=np.zeros(9),
                          angular_velocity=self._vector(angular_velocity), angular_velocity_covariance=np.zeros(9),
                          linear_acceleration=self._vector(acceleration), linear_acceleration_covariance=np.zeros(9))

    def twist(self, header, velocity):
        """m/s and rad/s in the frame of the header."""
        return self._make("geometry_msgs/msg/TwistStamped", header=header,
                          twist=self._make("geometry_msgs/msg/Twist", linear=self._vector(velocity[:3]), angular=self._vector(velocity[3:])))
