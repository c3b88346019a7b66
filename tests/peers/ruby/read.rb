# SPDX-License-Identifier: Apache-2.0
#
# Reads a collection through the packaged Ruby driver, which has no access to raw bytes: each document is written as the
# driver encodes it again. Prints their number.
#
#     ruby read.rb URI DATABASE COLLECTION OUTPUT BATCH_SIZE      (BATCH_SIZE 0: the driver's choice)
require "mongo"

uri, database, collection, output, batch_size = ARGV
Mongo::Logger.logger.level = Logger::ERROR
client = Mongo::Client.new(uri, database: database, server_selection_timeout: 10)
view = client[collection].find
view = view.batch_size(Integer(batch_size)) unless Integer(batch_size).zero?
count = 0
File.open(output, "wb") do |file|
  view.each do |document|
    file.write(document.to_bson.to_s)
    count += 1
  end
end
client.close
puts count
