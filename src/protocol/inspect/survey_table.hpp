// SPDX-License-Identifier: BSL-1.0
// Surveys of lines under way, and which of them an inquiry belongs to.
#pragma once

#include "protocol/inspect/line_survey.hpp"
#include "protocol/names/ticket_id.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::protocol {

/// For the owner of a session, which sends inquiries and gets their answers.
class survey_table {
public:
    using survey_id = std::uint64_t;

    void begin(survey_id id, std::string path, std::size_t most, std::optional<instant> end = {}) {
        surveys_.emplace(id, line_survey(std::move(path), most, end));
    }
    std::optional<instant> end_of(survey_id id) const { return surveys_.at(id).deadline(); }
    bool contains(survey_id id) const { return surveys_.contains(id); }
    bool over(survey_id id) const { return surveys_.at(id).over(); }
    bool has_next(survey_id id) const { return surveys_.at(id).has_next(); }

    /// What one of them asks now.
    std::vector<line_survey::question> next(survey_id id) {
        return contains(id) ? surveys_.at(id).next() : std::vector<line_survey::question>();
    }
    void asked(survey_id id, inquiry_id inquiry, std::size_t number) {
        questions_.emplace(inquiry, std::pair(id, number));
    }

    /// The survey that an inquiry belongs to, if it is still under way.
    std::optional<survey_id> find(inquiry_id inquiry) const {
        const auto question = questions_.find(inquiry);
        return question == questions_.end() ? std::nullopt : std::optional(question->second.first);
    }
    std::optional<survey_id> on_answer(inquiry_id inquiry, const reply& answer) {
        const auto id = find(inquiry);
        if (id)
            surveys_.at(*id).on_answer(questions_.extract(inquiry).mapped().second, answer);
        return id;
    }

    /// Takes one out, over or not, with its questions that are open.
    struct ended {
        line_survey survey;
        std::vector<inquiry_id> open{};
    };
    ended end(survey_id id) {
        ended result{.survey = std::move(surveys_.extract(id).mapped())};
        std::erase_if(questions_, [&](const auto& each) {
            const bool own = each.second.first == id;
            if (own)
                result.open.push_back(each.first);
            return own;
        });
        return result;
    }

private:
    std::map<survey_id, line_survey> surveys_;
    std::map<inquiry_id, std::pair<survey_id, std::size_t>> questions_;
};

} // namespace turnstile::protocol
