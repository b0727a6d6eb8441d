#!/bin/sh
# Installs mise (https://mise.jdx.dev), the version manager with which agents install languages in their own homes, without
# root. The lockfile pins its package for each architecture. npm skips an optional package that it can't fetch or whose
# digest differs, so the last line fails if mise is missing.
set -eu

FOLDER=/opt/mise
mkdir -p "$FOLDER" /etc/mise
cp /build/tools/image/mise/package.json /build/tools/image/mise/package-lock.json "$FOLDER"
cp /build/tools/image/mise/config.toml /etc/mise
export npm_config_cache=/tmp/npm-cache
npm ci --prefix "$FOLDER" --ignore-scripts --no-audit --no-fund --loglevel=error
rm -rf /tmp/npm-cache /root/.npm
ln -s "$FOLDER"/node_modules/@jdxcode/mise-linux-*/bin/mise /usr/local/bin/mise
HOME=/tmp mise --version
rm -rf /tmp/.cache /tmp/.local /tmp/.config
