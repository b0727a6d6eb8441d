#!/bin/sh
# Installs the runner's npm packages. Agents and the functions call models, so the models' libraries, the largest part, are left out.
set -eu

export npm_config_cache=/tmp/npm-cache
# Includes core's development dependencies, which contain AWS's clients because a local server doesn't use them.
npm ci --workspace packages/runner --include=dev --ignore-scripts --no-audit --no-fund --loglevel=error
cd node_modules
rm -rf @anthropic-ai @langchain groq-sdk openai langsmith js-tiktoken react react-dom
# Only the WebAssembly of grammars is read.
rm -rf tree-sitter-*/prebuilds tree-sitter-*/src web-tree-sitter/debug
rm -rf /tmp/npm-cache /root/.npm
