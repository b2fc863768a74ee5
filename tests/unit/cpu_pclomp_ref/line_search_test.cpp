// Both line searches on published test functions and against each other: the oracle's and common's share no
// code.
#include "line_search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "ndt/solve/line_search.hpp"

namespace ndt::cpu_pclomp_ref {
namespace {

constexpr double kMu = 1e-4, kNu = 0.9;
constexpr double kPi = 3.14159265358979323846;

struct Function {
  const char* name;
  std::function<PhiSample(double)> at;
};

double beta_gamma(double beta) { return std::sqrt(1 + beta * beta) - beta; }

/// Yanai, Ozawa & Kaneko's family, as More & Thuente use it.
Function yanai(const char* name, double b1, double b2) {
  return {name, [=](double a) {
            const double g1 = beta_gamma(b1), g2 = beta_gamma(b2);
            const double r1 = std::sqrt((1 - a) * (1 - a) + b2 * b2), r2 = std::sqrt(a * a + b1 * b1);
            return PhiSample{a, g1 * r1 + g2 * r2, -g1 * (1 - a) / r1 + g2 * a / r2};
          }};
}

/// The six functions of More & Thuente 1994, section 5.
std::vector<Function> published() {
  return {
      {"1: -a/(a^2+2)",
       [](double a) {
         const double d = a * a + 2;
         return PhiSample{a, -a / d, (a * a - 2) / (d * d)};
       }},
      {"2: (a+b)^5 - 2(a+b)^4",
       [](double a) {
         const double t = a + 0.004;
         return PhiSample{a, std::pow(t, 5) - 2 * std::pow(t, 4), 5 * std::pow(t, 4) - 8 * std::pow(t, 3)};
       }},
      {"3: kink and ripples",
       [](double a) {
         const double b = 0.01, l = 39;
         double phi0 = 1 - a, slope = -1;
         if (a >= 1 + b)
           phi0 = a - 1, slope = 1;
         else if (a > 1 - b)
           phi0 = (a - 1) * (a - 1) / (2 * b) + b / 2, slope = (a - 1) / b;
         return PhiSample{a, phi0 + 2 * (1 - b) / (l * kPi) * std::sin(l * kPi / 2 * a),
                          slope + (1 - b) * std::cos(l * kPi / 2 * a)};
       }},
      yanai("4: Yanai 0.001, 0.001", 0.001, 0.001),
      yanai("5: Yanai 0.01, 0.001", 0.01, 0.001),
      yanai("6: Yanai 0.001, 0.01", 0.001, 0.01)};
}

/// common's search driven to its end; what it returns and how often it asked.
std::optional<PhiSample> by_common(const Function& f, LineSearch kind, StepRatios set,
                                   const SearchBounds& bounds) {
  const PhiSample zero = f.at(0);
  StepSearch search({kind, set, bounds.lowest, bounds.highest}, {0, zero.phi, zero.dphi}, bounds.first);
  PhiSample best;
  for (int i = 0; i < 50; ++i) {
    const PhiSample t = f.at(search.alpha());
    const Verdict verdict = search.offer(t.phi, t.dphi);
    if (search.current_is_best()) best = t;
    if (verdict == Verdict::take_this) return t;
    if (verdict == Verdict::take_best) return best;
    if (verdict == Verdict::failed) return std::nullopt;
  }
  ADD_FAILURE() << f.name << ": no end";
  return std::nullopt;
}

std::optional<PhiSample> by_oracle(const Function& f, LineSearch kind, StepRatios set,
                                   const SearchBounds& bounds) {
  const PhiSample zero = f.at(0);
  return kind == LineSearch::more_thuente ? search_more_thuente(f.at, zero, bounds)
                                          : search_candidates(f.at, zero, bounds, set);
}

void expect_decrease(const Function& f, const PhiSample& s, const std::string& name) {
  EXPECT_LE(s.phi, f.at(0).phi + kMu * s.alpha * f.at(0).dphi) << name;
}

/// Trials until strong Wolfe with (mu, eta) holds; -1 if 40 are not enough.
int trials_until_wolfe(const Function& f, double mu, double eta, double first) {
  const PhiSample zero = f.at(0);
  MoreThuente search(zero.phi, zero.dphi, first, 0, 1e10, mu);
  double alpha = first;
  for (int trial = 1; trial <= 40; ++trial) {
    const PhiSample t = f.at(alpha);
    if (t.phi <= zero.phi + mu * alpha * zero.dphi && std::abs(t.dphi) <= eta * std::abs(zero.dphi))
      return trial;
    alpha = search.next({alpha, t.phi, t.dphi});
  }
  return -1;
}

TEST(MoreThuente, NeedsTheTrialsOfThePaperOnItsSixFunctions) {
  // mu, eta and column m of tables I to VI.
  struct Table {
    double mu, eta;
    int trials[4];
  };
  const Table tables[] = {{0.001, 0.1, {6, 3, 1, 4}},   {0.1, 0.1, {12, 8, 8, 11}},
                          {0.1, 0.1, {12, 12, 10, 13}}, {0.001, 0.001, {4, 1, 3, 4}},
                          {0.001, 0.001, {6, 3, 7, 8}}, {0.001, 0.001, {13, 11, 8, 11}}};
  const double firsts[] = {1e-3, 1e-1, 1e1, 1e3};
  const auto functions = published();
  for (std::size_t i = 0; i < functions.size(); ++i)
    for (int k = 0; k < 4; ++k)
      EXPECT_EQ(trials_until_wolfe(functions[i], tables[i].mu, tables[i].eta, firsts[k]), tables[i].trials[k])
          << functions[i].name << " from " << firsts[k];
}

TEST(MoreThuente, OfTheOracleEndsWithStrongWolfeOrADecreaseOnThePublishedFunctions) {
  int wolfe = 0, runs = 0;
  for (const Function& f : published())
    for (const double first : {1e-3, 1e-1, 1e1, 1e3}) {
      const SearchBounds bounds{1e-10, 1e10, first};
      const std::string name = std::string(f.name) + " from " + std::to_string(first);
      const auto found = by_oracle(f, LineSearch::more_thuente, {}, bounds);
      ASSERT_TRUE(found) << name;
      expect_decrease(f, *found, name);
      ++runs, wolfe += std::abs(found->dphi) <= kNu * std::abs(f.at(0).dphi) ? 1 : 0;
    }
  EXPECT_GE(wolfe, runs - 4) << "ten trials are enough for all but a few of these long searches";
}

TEST(LineSearches, OfCommonAndOfTheOracleTakeTheSameStepOnThePublishedFunctions) {
  for (const Function& f : published())
    for (const double first : {1e-3, 1e-1, 1e1, 1e3})
      for (const LineSearch kind : {LineSearch::more_thuente, LineSearch::batched})
        for (const StepRatios set : all_values<StepRatios>()) {
          const SearchBounds bounds{1e-6, 1e4, first};
          const auto a = by_common(f, kind, set, bounds), b = by_oracle(f, kind, set, bounds);
          const std::string name =
              std::string(f.name) + " from " + std::to_string(first) + " " + std::string(to_string(kind));
          ASSERT_EQ(a.has_value(), b.has_value()) << name;
          if (a) {
            EXPECT_NEAR(a->alpha, b->alpha, 1e-9 * b->alpha) << name;
          }
        }
}

TEST(LineSearches, NeverRaisePhiOnRandomPolynomialsWithinTheBoundsOfAnAlignment) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> unit(-1, 1);
  int failed = 0, accepted = 0;
  for (int i = 0; i < 2000; ++i) {
    const double slope = -std::abs(unit(random)) - 1e-3, c2 = 30 * unit(random), c3 = 300 * unit(random);
    const double c4 = 3000 * unit(random);
    const Function f{"quartic", [=](double a) {
                       return PhiSample{a, a * (slope + a * (c2 + a * (c3 + a * c4))),
                                        slope + a * (2 * c2 + a * (3 * c3 + a * 4 * c4))};
                     }};
    const SearchBounds bounds{0.005, 0.1, 0.005 + 0.095 * std::abs(unit(random))};
    for (const LineSearch kind : {LineSearch::more_thuente, LineSearch::batched})
      for (const StepRatios set : all_values<StepRatios>()) {
        const std::string name = "quartic " + std::to_string(i) + " " + std::string(to_string(kind));
        const auto a = by_common(f, kind, set, bounds), b = by_oracle(f, kind, set, bounds);
        ASSERT_EQ(a.has_value(), b.has_value()) << name;
        (a ? accepted : failed) += 1;
        if (!a) continue;
        EXPECT_NEAR(a->alpha, b->alpha, 1e-12) << name;
        EXPECT_GE(a->alpha, bounds.lowest) << name;
        EXPECT_LE(a->alpha, bounds.highest) << name;
        expect_decrease(f, *a, name);
      }
  }
  EXPECT_GT(accepted, 1000);
  EXPECT_GT(failed, 0) << "no case without a decrease was tried";
}

}  // namespace
}  // namespace ndt::cpu_pclomp_ref
