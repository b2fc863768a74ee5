// The protocol of docs/peers.md for peers in C++ on PCL's clouds: reads requests, takes the time of the work,
// answers.
#pragma once

#include <pcl/point_cloud.h>
#include <pcl/point_types.h>
#include <unistd.h>

#include <Eigen/Core>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace ndt_peer {

using Cloud = pcl::PointCloud<pcl::PointXYZ>;

struct Outcome {
  Eigen::Matrix4f pose;
  bool converged = false;
  int iterations = 0;
};

/// Throws std::runtime_error if the file cannot be read.
inline Cloud::Ptr read_points(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  const Cloud::Ptr cloud(new Cloud);
  float p[3];
  while (file.read(reinterpret_cast<char*>(p), sizeof p)) cloud->push_back({p[0], p[1], p[2]});
  if (cloud->empty()) throw std::runtime_error(name + " cannot be read, or is empty");
  return cloud;
}

template <class Method>
nlohmann::json answer(Method& method, const nlohmann::json& request) {
  const std::string what = request.at("do");
  const int threads = request.value("threads", 1);
  const auto timed = [](auto&& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
  };
  if (what == "map" || what == "scan") {
    const Cloud::Ptr cloud = read_points(request.at("file"));
    const float resolution_m = request.value("resolution_m", 2.0F);
    return {{"us", timed([&] {
               what == "map" ? method.prepare_map(cloud, threads, resolution_m) : method.prepare_scan(cloud, threads);
             })}};
  }
  if (what != "align") return nlohmann::json::object();
  Eigen::Matrix4f guess;
  for (int i = 0; i < 16; ++i) guess(i / 4, i % 4) = request.at("guess").at(i);
  Outcome outcome;
  const double us = timed([&] { outcome = method.align(guess, threads); });
  nlohmann::json pose = nlohmann::json::array();
  for (int i = 0; i < 16; ++i) pose.push_back(outcome.pose(i / 4, i % 4));
  return {{"pose", pose}, {"converged", outcome.converged}, {"iterations", outcome.iterations}, {"us", us}};
}

/// PCL's base class makes a tree of the map's points in the first alignment, which these methods never ask.
template <class Registration>
void spare_tree(Registration& registration) {
  registration.setSearchMethodTarget(typename Registration::KdTreePtr(new typename Registration::KdTree),
                                     true);
}

/// Serves until stdin ends. A method has prepare_map(cloud, threads, resolution_m), prepare_scan(cloud, threads) and
/// align(guess, threads), which returns an Outcome.
template <class Method>
void serve(Method& method) {
  std::FILE* answers = fdopen(dup(1), "w");
  dup2(2, 1);  // libraries print; answers have stdout to themselves
  for (std::string line; std::getline(std::cin, line);) {
    nlohmann::json out;
    try {
      out = answer(method, nlohmann::json::parse(line));
    } catch (const std::exception& error) {
      out = {{"error", error.what()}};
    }
    std::fprintf(answers, "%s\n", out.dump().c_str());
    std::fflush(answers);
  }
}

}  // namespace ndt_peer
