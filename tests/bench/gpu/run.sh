#!/bin/sh
# posttrain-gpu: see bench.mjs. Finds Vulkan, then measures.
here=$(cd "$(dirname "$0")" && pwd)
ldconfig=$(command -v ldconfig || echo /sbin/ldconfig)
has() { "$ldconfig" -p 2>/dev/null | grep -q "$1"; }
# The machine's own loader knows its drivers best; ours is for one that has none.
if ! has libvulkan.so.1; then export LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"; fi
# A container often gets NVIDIA's driver without the file that tells Vulkan of it.
if [ -z "$VK_ICD_FILENAMES$VK_DRIVER_FILES" ] && has libGLX_nvidia.so.0 &&
  ! ls /etc/vulkan/icd.d/*.json /usr/share/vulkan/icd.d/*.json >/dev/null 2>&1; then
  export VK_ICD_FILENAMES="$here/nvidia_icd.json" VK_DRIVER_FILES="$here/nvidia_icd.json"
fi
exec "$here/node" "$here/bench.mjs" "$@"
