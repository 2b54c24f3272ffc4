-- Load for wrk: keys by Zipf's law, popularity 1 / rank^exponent. Arguments after "--": keys, exponent, seed.
-- A draw is two random numbers and two look-ups (Walker's alias method), and each request is put together once, so
-- that the load takes as little as possible of the CPU that it shares with the server.

local threads = 0

function setup(thread)
    threads = threads + 1
    thread:set("number", threads)
end

function init(arguments)
    local exponent = tonumber(arguments[2]) or 0.99
    keys = tonumber(arguments[1]) or 200000
    math.randomseed((tonumber(arguments[3]) or 1) * 1000 + number)

    local share, sum = {}, 0
    for rank = 1, keys do
        share[rank] = rank ^ -exponent
        sum = sum + share[rank]
    end

    keep, other, requests = {}, {}, {}
    local small, large = {}, {}
    for rank = 1, keys do
        share[rank] = share[rank] * keys / sum
        keep[rank], other[rank], requests[rank] = 1, rank, false
        if share[rank] < 1 then small[#small + 1] = rank else large[#large + 1] = rank end
    end
    while #small > 0 and #large > 0 do
        local little, big = table.remove(small), large[#large]
        keep[little], other[little] = share[little], big
        share[big] = share[big] - (1 - share[little])
        if share[big] < 1 then
            table.remove(large)
            small[#small + 1] = big
        end
    end
end

function request()
    local rank = math.random(keys)
    if math.random() >= keep[rank] then rank = other[rank] end
    local made = requests[rank]
    if not made then
        made = wrk.format("GET", "/value/" .. (rank - 1))
        requests[rank] = made
    end
    return made
end
