// Boost.JSON is compiled here, once, so that nothing but Boost's headers is needed.
#include <boost/json/src.hpp>
