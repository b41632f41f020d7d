//! Numbers as text that a script reads back in one call: little-endian bytes in base64.

use nalgebra::Vector3;

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes in base64, with padding.
pub fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

/// Single precision.
pub fn floats(numbers: impl Iterator<Item = f64>) -> String {
    base64(&numbers.flat_map(|x| (x as f32).to_le_bytes()).collect::<Vec<u8>>())
}

/// Vectors in single precision.
pub fn vectors<'a>(vectors: impl Iterator<Item = &'a Vector3<f64>>) -> String {
    floats(vectors.flat_map(|v| [v.x, v.y, v.z]))
}

/// Numbers between −1 and 1 in 16 bits.
pub fn units(numbers: impl Iterator<Item = f64>) -> String {
    let word = |x: f64| (x.clamp(-1.0, 1.0) * f64::from(i16::MAX)).round() as i16;
    base64(&numbers.flat_map(|x| word(x).to_le_bytes()).collect::<Vec<u8>>())
}

/// The number that stands for "not known" among fractions.
const UNKNOWN: u16 = u16::MAX;

/// Where each number lies between `low` and `high`, in 16 bits; what is not finite is marked as not known.
pub fn fractions(numbers: impl Iterator<Item = f64>, low: f64, high: f64) -> String {
    let room = if high > low { high - low } else { 1.0 };
    let word = |x: f64| match (x - low) / room {
        part if part.is_finite() => (part.clamp(0.0, 1.0) * f64::from(UNKNOWN - 1)).round() as u16,
        _ => UNKNOWN,
    };
    base64(&numbers.flat_map(|x| word(x).to_le_bytes()).collect::<Vec<u8>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        // RFC 4648, section 10.
        let known =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy")];
        for (plain, coded) in known {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
        assert_eq!(base64(&[0xff, 0xfe, 0xfd]), "//79");
    }

    #[test]
    fn what_is_not_known_is_marked() {
        assert_eq!(fractions([f64::NAN].into_iter(), 0.0, 1.0), base64(&[0xff, 0xff]));
        assert_eq!(fractions([1.0, 0.0].into_iter(), 0.0, 1.0), base64(&[0xfe, 0xff, 0, 0]));
    }
}
