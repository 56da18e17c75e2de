// Seam
