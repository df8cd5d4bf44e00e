// SPDX-License-Identifier: BSL-1.0
// A store that refuses old fencing tokens, in SQLite. Each order keeps the largest token it has
// seen.
#pragma once

#include <memory>
#include <sqlite3.h>
#include <stdexcept>
#include <string>
#include <turnstile/fencing_token.hpp>

/// A holder with an older token reads or writes: it has lost its lock.
struct old_token : std::runtime_error {
    using runtime_error::runtime_error;
};

/// Its calls block the thread for a moment: a real server has a database client that does not.
class order_store {
public:
    explicit order_store(const std::string& file) {
        sqlite3* opened = nullptr;
        const auto failed = sqlite3_open(file.c_str(), &opened);
        database_.reset(opened);
        if (failed != SQLITE_OK)
            fail(file);
        sqlite3_busy_timeout(opened, 10'000); // other processes write, too
        run(R"(CREATE TABLE IF NOT EXISTS orders
            (id TEXT PRIMARY KEY, pieces INTEGER NOT NULL, token TEXT NOT NULL))");
    }

    /// Registers the token: from here on the store refuses older ones.
    int read(const std::string& id, const turnstile::fencing_token& token) {
        constexpr auto statement = R"(
            UPDATE orders SET token = ?2
            WHERE id = ?1 AND token <= ?2
            RETURNING pieces)";
        run("INSERT INTO orders VALUES (?1, 0, '') ON CONFLICT DO NOTHING", id);
        const auto answer = run(statement, id, token.str());
        if (!answer.has_row)
            throw old_token("order " + id + ": the read is refused");
        return answer.number;
    }

    void write(const std::string& id, int pieces, const turnstile::fencing_token& token) {
        constexpr auto statement = R"(
            UPDATE orders SET token = ?2, pieces = ?3
            WHERE id = ?1 AND token <= ?2
            RETURNING pieces)";
        const auto answer = run(statement, id, token.str(), pieces);
        if (!answer.has_row)
            throw old_token("order " + id + ": the write is refused");
    }

private:
    struct closer {
        void operator()(sqlite3* database) const { sqlite3_close(database); }
        void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
    };
    struct row {
        bool has_row = false;
        int number = 0;
    };

    row run(const char* text, const std::string& id = {}, const std::string& token = {},
            int pieces = 0) {
        sqlite3_stmt* prepared = nullptr;
        if (sqlite3_prepare_v2(database_.get(), text, -1, &prepared, nullptr) != SQLITE_OK)
            fail(text);
        const std::unique_ptr<sqlite3_stmt, closer> statement{prepared};
        // A statement may have fewer parameters: the ones that it lacks are ignored.
        sqlite3_bind_text(prepared, 1, id.c_str(), -1, SQLITE_STATIC);
        sqlite3_bind_text(prepared, 2, token.c_str(), -1, SQLITE_STATIC);
        sqlite3_bind_int(prepared, 3, pieces);
        row answer;
        auto state = sqlite3_step(prepared);
        for (; state == SQLITE_ROW; state = sqlite3_step(prepared))
            answer = {true, sqlite3_column_int(prepared, 0)};
        if (state != SQLITE_DONE)
            fail("the store");
        return answer;
    }
    [[noreturn]] void fail(const std::string& what) const {
        throw std::runtime_error(what + ": " + sqlite3_errmsg(database_.get()));
    }

    std::unique_ptr<sqlite3, closer> database_;
};
