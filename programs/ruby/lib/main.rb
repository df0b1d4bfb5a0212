require "erb"
require "json"

arguments = JSON.parse($stdin.read)
begin
  print ERB.new(arguments["template"]).result_with_hash(arguments["values"])
rescue StandardError, SyntaxError => e
  abort e.message
end
