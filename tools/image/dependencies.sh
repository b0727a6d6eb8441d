#!/bin/sh
# What the runner needs of npm. Models are spoken to by agents and by the functions: their libraries stay out, which is most of it.
set -eu

export npm_config_cache=/tmp/npm-cache
# With core's development dependencies: on a machine of one's own nothing of AWS is used, so it is among them.
npm ci --workspace packages/runner --include=dev --ignore-scripts --no-audit --no-fund --loglevel=error
cd node_modules
rm -rf @anthropic-ai @langchain groq-sdk openai langsmith js-tiktoken react react-dom
# Of grammars only what is compiled to WebAssembly is read.
rm -rf tree-sitter-*/prebuilds tree-sitter-*/src web-tree-sitter/debug
rm -rf /tmp/npm-cache /root/.npm
