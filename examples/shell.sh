# Shell functions for the guides in docs/. Set TOKEN first, then: . examples/shell.sh
API=${API:-http://127.0.0.1:8080/api/v1}

# request METHOD PATH [BODY] [CURL OPTION…]: prints the response; fails on an error status.
request() {
  local method=$1 target=$2 body=${3-}
  shift $(($# < 3 ? $# : 3))
  [ -z "$body" ] || set -- --data "$body" "$@"
  curl -sS --fail-with-body -X "$method" -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \
    "$@" "$API/$target" && echo
}
get() { request GET "$1" '' "${@:2}"; }
post() { request POST "$@"; }
put() { request PUT "$@"; }
delete() { request DELETE "$1" '' "${@:2}"; }

# etag PATH: the version of a record, for If-Match.
etag() { get "$1" -D - -o /dev/null | tr -d '\r' | sed -n 's/^[Ee][Tt]ag: //p'; }

# member NAME: the member of the JSON on standard input; id: its `id`; first NAME: the same of the first search result.
member() { node -pe 'JSON.parse(require("fs").readFileSync(0))[process.argv[1]]' "$1"; }
id() { member id; }
first() { node -pe 'JSON.parse(require("fs").readFileSync(0)).data[0][process.argv[1]]' "$1"; }

# wait_for TEXT COMMAND…: repeats the command until its output has the text, and prints that line.
wait_for() {
  local text=$1
  shift
  until "$@" | grep -- "$text"; do sleep 1; done
}
