#include "transaction_log.hpp"

#include "support/child_process.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <list>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace turnstile::chaos {
namespace {

namespace fs = std::filesystem;

constexpr const char* class_path = "/usr/share/java/zookeeper.jar:/usr/share/java/slf4j-simple.jar:"
                                   "/usr/share/java/commons-cli.jar";

std::optional<std::uint64_t> hexadecimal(std::string_view text) {
    std::uint64_t result = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), result, 16);
    return failure == std::errc{} && end != text.data() ? std::optional{result} : std::nullopt;
}

/// "... zxid 0x100000002 ...": empty for lines that are no transaction.
std::optional<std::uint64_t> zxid_of(std::string_view line) {
    constexpr std::string_view label = " zxid 0x";
    const auto at = line.find(label);
    return at == std::string_view::npos ? std::nullopt
                                        : hexadecimal(line.substr(at + label.size()));
}

/// A server's files of one kind by the zxid in their names, the oldest first.
std::map<std::uint64_t, fs::path> files_of(const fs::path& data_folder, std::string_view prefix) {
    std::map<std::uint64_t, fs::path> result;
    for (const auto& entry : fs::directory_iterator{data_folder / "version-2"}) {
        const auto name = entry.path().filename().string();
        if (name.starts_with(prefix)) {
            result[hexadecimal(std::string_view{name}.substr(prefix.size())).value_or(0)] =
                entry.path();
        }
    }
    return result;
}

/// All files of one server as one text.
fs::path dump_one(const fs::path& data_folder) {
    const auto output = data_folder / "transactions.txt";
    fs::remove(output);
    for (const auto& [zxid, file] : files_of(data_folder, "log.")) {
        test::child_process child{
            {.argv = {"java", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp",
                      class_path, "org.apache.zookeeper.server.persistence.TxnLogToolkit",
                      file.string()},
             .output_file = output}};
        if (!child.wait_for_end(std::chrono::minutes{5})) {
            throw std::runtime_error{"TxnLogToolkit does not end on " + file.string()};
        }
    }
    return output;
}

/// Reads a server's transactions one by one, and notes those that it jumps over.
class reader {
public:
    explicit reader(const fs::path& data_folder)
        : in_{dump_one(data_folder)},
          snapshots_{files_of(data_folder, "snapshot.")},
          gap_{.server = data_folder.filename()} {
        next();
    }

    void next() {
        const auto last = zxid;
        zxid.reset();
        while (!zxid && std::getline(in_, line)) {
            zxid = zxid_of(line);
            if (last && zxid && *zxid <= *last) {
                zxid.reset(); // a server that joins again may log again what it has
            }
        }
    }

    /// Another server has this one, and we are already beyond it.
    void lacks(std::uint64_t other) {
        const auto snapshot = snapshots_.lower_bound(other);
        if (!zxid || (snapshot != snapshots_.end() && snapshot->first < *zxid)) {
            return; // not there yet when it was stopped, or brought by the snapshot
        }
        gap_.first = gap_.count == 0 ? other : gap_.first;
        gap_.last = other;
        ++gap_.count;
    }

    /// The gap before the present transaction, if there is one.
    void close_gap(std::vector<divergence>& found) {
        if (gap_.count != 0) {
            found.push_back(gap_);
            gap_.count = 0;
        }
    }

    std::optional<std::uint64_t> zxid; ///< empty: no more
    std::string line;

private:
    std::ifstream in_;
    std::map<std::uint64_t, fs::path> snapshots_;
    divergence gap_;
};

} // namespace

std::string divergence::text() const {
    std::ostringstream out;
    out << server.string() << " lacks " << count << " transactions that others have, 0x" << std::hex
        << first << " to 0x" << last;
    return out.str();
}

std::vector<divergence> dump_transactions(const std::vector<fs::path>& data_folders,
                                          const fs::path& output) {
    std::list<reader> readers;
    for (const auto& folder : data_folders) {
        readers.emplace_back(folder);
    }
    std::vector<divergence> found;
    std::ofstream out{output};
    for (;;) {
        std::optional<std::uint64_t> next;
        for (const auto& r : readers) {
            if (r.zxid && (!next || *r.zxid < *next)) {
                next = r.zxid;
            }
        }
        if (!next) {
            break;
        }
        const auto holders = static_cast<std::size_t>(std::count_if(
            readers.begin(), readers.end(), [&](const reader& r) { return r.zxid == next; }));
        bool written = false;
        for (auto& r : readers) {
            if (r.zxid != next) {
                if (2 * holders > readers.size()) { // a parted leader's own are rightly dropped
                    r.lacks(*next);
                }
                continue;
            }
            r.close_gap(found);
            if (!std::exchange(written, true)) {
                out << r.line << '\n';
            }
            r.next();
        }
    }
    out.close();
    if (!out) {
        throw std::runtime_error{"cannot write " + output.string()};
    }
    return found;
}

} // namespace turnstile::chaos
