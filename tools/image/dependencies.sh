#!/bin/sh
# Installs the runner's npm packages. Models are called by agents and functions, not by the runner, so the model
# libraries, which are the largest part, are left out.
set -eu

export npm_config_cache=/tmp/npm-cache
# Includes core's development dependencies, because they contain the AWS clients, which a local server doesn't use.
npm ci --workspace packages/runner --include=dev --ignore-scripts --no-audit --no-fund --loglevel=error
cd node_modules
rm -rf @anthropic-ai @langchain groq-sdk openai langsmith js-tiktoken react react-dom
# Only the grammars' WebAssembly is used.
rm -rf tree-sitter-*/prebuilds tree-sitter-*/src web-tree-sitter/debug
rm -rf /tmp/npm-cache /root/.npm
