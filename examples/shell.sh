# Shell functions for the guides in docs/. Set TOKEN first, then: . examples/shell.sh
API=${API:-http://127.0.0.1:8080/api/v1}

# show [LINES]: the beginning of a response, JSON with a member a line; at most 40 lines unless told.
show() {
  node -e '
    const text = require("fs").readFileSync(0, "utf8").trimEnd();
    let shown = text;
    try { shown = JSON.stringify(JSON.parse(text), null, 2); } catch {}
    const lines = shown.split("\n");
    const most = Number(process.argv[1]);
    console.log(lines.slice(0, most).map((line) => line.slice(0, 300)).join("\n"));
    if (lines.length > most) console.log(`… and ${lines.length - most} more lines`);' "${1:-40}"
}
# A terminal gets what `show` prints, a pipe or a file all of it.
shown() { if [ -t 1 ]; then show; else cat; fi; }

# request METHOD PATH [BODY] [CURL OPTION…]: prints the response; fails on an error status.
request() (
  set -o pipefail
  method=$1 target=$2 body=${3-}
  shift $(($# < 3 ? $# : 3))
  [ -z "$body" ] || set -- --data "$body" "$@"
  { curl -sS --fail-with-body -X "$method" -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \
    "$@" "$API/$target" && echo; } | shown
)
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
  local text=$1 found
  shift
  until found=$("$@" | grep -- "$text"); do sleep 1; done
  printf '%s\n' "$found" | shown
}
