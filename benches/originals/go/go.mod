module timerbench/originals

go 1.19
