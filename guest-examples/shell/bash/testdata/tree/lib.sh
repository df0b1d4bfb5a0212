LIB=loaded
libf() { echo "libf $1"; }
