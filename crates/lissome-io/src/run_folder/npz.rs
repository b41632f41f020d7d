//! NumPy's `.npz`: an uncompressed ZIP of `.npy` arrays, which needs nothing but a checksum.

use std::io::{self, Write};

/// A named array of f64 in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Name under which `numpy.load` finds it.
    pub name: String,
    /// Rows and columns; an empty second entry means one dimension.
    pub shape: Vec<usize>,
    /// Values, the last index fastest.
    pub values: Vec<f64>,
}

/// Writes the arrays as one `.npz`.
pub fn write(out: &mut impl Write, arrays: &[Array]) -> io::Result<()> {
    let mut directory = Vec::new();
    let mut offset = 0usize;
    for array in arrays {
        let name = format!("{}.npy", array.name);
        let data = npy(array);
        let header = LocalHeader { name: &name, crc: crc32(&data), size: data.len() };
        let local = header.local()?;
        out.write_all(&local)?;
        out.write_all(&data)?;
        directory.extend(header.central(to_u32(offset)?)?);
        offset += local.len() + data.len();
    }
    out.write_all(&directory)?;
    let count = u16::try_from(arrays.len()).map_err(|_| too_large())?;
    let mut end = b"PK\x05\x06\0\0\0\0".to_vec();
    end.extend(count.to_le_bytes());
    end.extend(count.to_le_bytes());
    end.extend(to_u32(directory.len())?.to_le_bytes());
    end.extend(to_u32(offset)?.to_le_bytes());
    end.extend([0, 0]);
    out.write_all(&end)
}

/// Reads back what [`write()`] wrote; every checksum is proven. The reason says what is wrong.
pub fn read(bytes: &[u8]) -> Result<Vec<Array>, &'static str> {
    const END: usize = 22;
    const CENTRAL: usize = 46;
    const LOCAL: usize = 30;
    let two = |at: usize| bytes.get(at..at + 2).map(|b| usize::from(u16::from_le_bytes([b[0], b[1]])));
    let four = |at: usize| bytes.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let cut = "it is cut short";
    let end = bytes.len().checked_sub(END).ok_or(cut)?;
    if bytes[end..end + 4] != *b"PK\x05\x06" {
        return Err(cut);
    }
    let count = two(end + 10).ok_or(cut)?;
    let mut at = four(end + 16).ok_or(cut)? as usize;
    let mut arrays = Vec::with_capacity(count);
    for _ in 0..count {
        let (crc, size) = (four(at + 16).ok_or(cut)?, four(at + 20).ok_or(cut)? as usize);
        let (name_length, offset) = (two(at + 28).ok_or(cut)?, four(at + 42).ok_or(cut)? as usize);
        let name = bytes.get(at + CENTRAL..at + CENTRAL + name_length).ok_or(cut)?;
        let name = std::str::from_utf8(name).ok().and_then(|n| n.strip_suffix(".npy")).ok_or("a name in it is odd")?;
        let from = offset + LOCAL + two(offset + 26).ok_or(cut)?;
        let data = bytes.get(from..from + size).ok_or(cut)?;
        if crc32(data) != crc {
            return Err("a checksum in it does not fit");
        }
        arrays.push(array_of(name, data).ok_or("an array in it is odd")?);
        at += CENTRAL + name_length;
    }
    Ok(arrays)
}

/// An array from its `.npy` form.
fn array_of(name: &str, data: &[u8]) -> Option<Array> {
    let header = usize::from(u16::from_le_bytes([*data.get(8)?, *data.get(9)?]));
    let text = std::str::from_utf8(data.get(10..10 + header)?).ok()?;
    let (_, rest) = text.split_once("'shape': (")?;
    let (shape, _) = rest.split_once(')')?;
    let shape: Vec<usize> =
        shape.split(',').map(str::trim).filter(|n| !n.is_empty()).map(|n| n.parse().ok()).collect::<Option<_>>()?;
    let values: Vec<f64> =
        data[10 + header..].chunks_exact(8).map(|b| f64::from_le_bytes(std::array::from_fn(|i| b[i]))).collect();
    (shape.iter().product::<usize>() == values.len()).then(|| Array { name: name.to_owned(), shape, values })
}

/// The `.npy` form, version 1.0: magic, a Python literal padded to 64 bytes, little-endian values.
fn npy(array: &Array) -> Vec<u8> {
    const ALIGNMENT: usize = 64;
    const PREAMBLE: usize = 10;
    let shape: String = array.shape.iter().map(|n| format!("{n},")).collect();
    let mut header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({shape}), }}");
    let padding = ALIGNMENT - (PREAMBLE + header.len() + 1) % ALIGNMENT;
    header.push_str(&" ".repeat(padding));
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend(array.values.iter().flat_map(|x| x.to_le_bytes()));
    bytes
}

struct LocalHeader<'a> {
    name: &'a str,
    crc: u32,
    size: usize,
}

impl LocalHeader<'_> {
    /// Version 2.0, no flags, stored, 1 January 1980 (the same bytes every time), checksum, sizes, name.
    fn shared(&self) -> io::Result<Vec<u8>> {
        const DATE: u16 = 1 << 5 | 1;
        let mut bytes = vec![20, 0, 0, 0, 0, 0, 0, 0];
        bytes.extend(DATE.to_le_bytes());
        bytes.extend(self.crc.to_le_bytes());
        bytes.extend(to_u32(self.size)?.to_le_bytes());
        bytes.extend(to_u32(self.size)?.to_le_bytes());
        bytes.extend(u16::try_from(self.name.len()).map_err(|_| too_large())?.to_le_bytes());
        bytes.extend([0, 0]);
        Ok(bytes)
    }

    fn local(&self) -> io::Result<Vec<u8>> {
        let mut bytes = b"PK\x03\x04".to_vec();
        bytes.extend(self.shared()?);
        bytes.extend(self.name.bytes());
        Ok(bytes)
    }

    fn central(&self, offset: u32) -> io::Result<Vec<u8>> {
        let mut bytes = b"PK\x01\x02\x14\x00".to_vec();
        bytes.extend(self.shared()?);
        // Comment length, disk, internal and external attributes.
        bytes.extend([0; 10]);
        bytes.extend(offset.to_le_bytes());
        bytes.extend(self.name.bytes());
        Ok(bytes)
    }
}

fn to_u32(n: usize) -> io::Result<u32> {
    u32::try_from(n).map_err(|_| too_large())
}

fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, "an .npz beyond 4 GiB or 65535 arrays")
}

/// CRC-32 (reflected polynomial 0xEDB88320), a byte at a time.
fn crc32(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0u32; 256];
        let mut i = 0;
        while i < 256 {
            let mut c = i as u32;
            let mut k = 0;
            while k < 8 {
                c = if c & 1 == 1 { 0xEDB8_8320 ^ (c >> 1) } else { c >> 1 };
                k += 1;
            }
            table[i] = c;
            i += 1;
        }
        table
    };
    !bytes.iter().fold(!0u32, |crc, byte| TABLE[((crc ^ u32::from(*byte)) & 0xff) as usize] ^ (crc >> 8))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn checksum_of_the_standard_check_string() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
    }

    #[test]
    fn header_is_aligned_and_says_the_shape() {
        let bytes = npy(&Array { name: "a".into(), shape: vec![2, 3], values: vec![0.0; 6] });
        let header = u16::from_le_bytes([bytes[8], bytes[9]]) as usize;
        assert_eq!((10 + header) % 64, 0);
        assert_eq!(bytes.len(), 10 + header + 48);
        let text = std::str::from_utf8(&bytes[10..10 + header]).unwrap();
        assert!(text.contains("'shape': (2,3,)") && text.ends_with('\n'), "{text}");
    }

    #[test]
    fn archive_is_found_from_its_end() {
        let mut out = Vec::new();
        let one = Array { name: "x".into(), shape: vec![1], values: vec![1.5] };
        let two = Array { name: "y".into(), shape: vec![2], values: vec![2.5, 3.5] };
        write(&mut out, &[one, two]).unwrap();
        let end = &out[out.len() - 22..];
        assert_eq!(&end[..4], b"PK\x05\x06");
        let start = u32::from_le_bytes(end[16..20].try_into().unwrap()) as usize;
        assert_eq!(&out[start..start + 4], b"PK\x01\x02");
        assert_eq!(u16::from_le_bytes(end[10..12].try_into().unwrap()), 2);
    }

    #[test]
    fn what_is_written_is_read_back_and_damage_is_seen() {
        let arrays = [
            Array {
                name: "a.b".into(),
                shape: vec![2, 3],
                values: vec![1.0, -0.0, f64::MIN_POSITIVE, 1e300, 0.1, 7.0],
            },
            Array { name: "one".into(), shape: vec![], values: vec![f64::INFINITY] },
            Array { name: "none".into(), shape: vec![0, 4], values: vec![] },
        ];
        let mut out = Vec::new();
        write(&mut out, &arrays).unwrap();
        let back = read(&out).unwrap();
        assert_eq!(back, arrays);
        assert!(back[0].values[1].is_sign_negative());
        for cut in 0..out.len() {
            assert!(read(&out[..cut]).is_err(), "cut at {cut}");
        }
        // A flipped bit of the numbers does not pass for another number.
        let at = out.windows(8).position(|w| w == 1e300_f64.to_le_bytes()).unwrap();
        out[at] ^= 1;
        assert!(read(&out).is_err());
    }
}
